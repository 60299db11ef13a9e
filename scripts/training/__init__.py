"""The steps of scripts/train_embedder.py: texts, pieces, starting vectors, objectives, measurement, model card."""
