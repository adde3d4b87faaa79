"""Stages: a private, runnable view of the user's folder, behind one small interface."""
