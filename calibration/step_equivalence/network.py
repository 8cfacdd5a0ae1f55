"""The network: an encoder over both texts with heads at the first token and at every token."""

import json
from pathlib import Path
from typing import Any, Self

import torch
from kinds import KINDS
from transformers import AutoConfig, AutoModel

DROPOUT = 0.1
_NOTHING = -1e4
_WEIGHTS = "model.pt"


class Network(torch.nn.Module):
    """Cross-encoder with two heads.

    The first head predicts all kinds from the first token. The second predicts changes at each token and takes the
    maximum of each kind over the tokens, because a single word can change the meaning of a long step.

    Args:
        encoder: The encoder, for example MiniLM.
    """

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.bert = encoder
        self.dropout = torch.nn.Dropout(DROPOUT)
        self.whole = torch.nn.Linear(encoder.config.hidden_size, len(KINDS))
        self.sign = torch.nn.Linear(encoder.config.hidden_size, len(KINDS) - 1)
        self.segments = getattr(encoder.config, "type_vocab_size", 1) > 1

    @classmethod
    def fresh(cls, source: Path, layers: int | None = None) -> Self:
        """Return a network to train.

        Args:
            source: Folder of an encoder's published weights, which gets random heads, or of a trained network.
            layers: Number of layers to keep, evenly spaced with the last one; None for all.
        """
        found = cls.load(source) if (source / _WEIGHTS).exists() else cls(AutoModel.from_pretrained(source))
        kept = found.bert.encoder.layer
        if layers is not None and layers < len(kept):
            places = [(number + 1) * len(kept) // layers - 1 for number in range(layers)]
            found.bert.encoder.layer = torch.nn.ModuleList(kept[place] for place in places)
            found.bert.config.num_hidden_layers = layers
        return found

    @classmethod
    def load(cls, folder: Path, attention: str | None = None) -> Self:
        """Return a trained network, as `save` wrote it, for use without training.

        Args:
            folder: Folder of the network.
            attention: Implementation: None for the fastest that the encoder has, "eager" can be exported.
        """
        config = AutoConfig.from_pretrained(folder, attn_implementation=attention)
        found = cls(AutoModel.from_config(config))
        found.load_state_dict(torch.load(folder / _WEIGHTS, map_location="cpu", weights_only=True))
        return found.eval()

    def save(self, folder: Path) -> None:
        """Write weights and configuration to a folder."""
        (folder / "config.json").write_text(json.dumps(self.bert.config.to_dict()), encoding="utf-8")
        torch.save(self.state_dict(), folder / _WEIGHTS)

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the logits, and the logit of each kind of change at each token.

        Args:
            input_ids: Tokens of both texts, shape (n_pairs, n_tokens).
            token_type_ids: Text (0 or 1) of each token, shape (n_pairs, n_tokens); only some encoders read it.
            attention_mask: 0 for padding, shape (n_pairs, n_tokens).

        Returns:
            Shapes (n_pairs, n_kinds) and (n_pairs, n_tokens, n_kinds - 1).
        """
        segments = {"token_type_ids": token_type_ids} if self.segments else {}
        read = self.bert(input_ids=input_ids, attention_mask=attention_mask, **segments)
        whole = self.whole(self.dropout(read.pooler_output))
        signs = self.sign(self.dropout(read.last_hidden_state))
        strongest = signs.masked_fill(attention_mask[:, :, None] == 0, _NOTHING).amax(dim=1)
        return torch.cat([whole[:, :1], whole[:, 1:] + strongest], dim=1), signs
