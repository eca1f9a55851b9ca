"""The machine at hand: devices, memory, what is installed, and how far the work is."""
