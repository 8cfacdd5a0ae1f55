"""Reports of references and their approvals."""
