"""What models are asked, in words."""
