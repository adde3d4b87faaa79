"""Draws the progress of several downloads over itself, as container tools do."""

import sys

N_LAYERS = 6

sys.stdout.write("Using default tag: latest\n" + "\n" * N_LAYERS)
for step in range(120):
    sys.stdout.write(f"\x1b[{N_LAYERS}A")
    for layer in range(N_LAYERS):
        done = min(step * (layer + 1), 100)
        bar = "=" * (done // 2) + ">"
        state = f"Downloading [{bar:51}] {done} MB/100 MB" if done < 100 else "Pull complete"
        sys.stdout.write(f"\x1b[2K\rlayer{layer}: {state}\r\n")
    sys.stdout.flush()
sys.stdout.write("Status: Downloaded newer image\n")
