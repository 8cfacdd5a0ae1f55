"""Reports of facts and exams."""
