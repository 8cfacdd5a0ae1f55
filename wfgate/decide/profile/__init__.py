"""The profile: the result of a calibration. It contains models, null distribution and measured rates."""
