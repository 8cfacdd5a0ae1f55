"""What a forge (GitHub, GitLab) knows about a pull request: who accepted which cases at which commit."""
