"""Evidence: numbers about a comparison. The calibration fits its models to them; the gate decides with them."""
