"""What the README claims of speed and memory, measured in one run."""
