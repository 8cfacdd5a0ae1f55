"""What a calibration reports."""
