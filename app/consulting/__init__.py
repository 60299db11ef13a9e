"""The consultation in the talk: what a message tells of a household, what is asked for next, what is proposed."""
