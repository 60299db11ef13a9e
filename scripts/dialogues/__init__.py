"""Cases, talking and scoring for scripts/eval_dialogues.py."""
