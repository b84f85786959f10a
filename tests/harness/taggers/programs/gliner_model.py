"""Make a tiny GLiNER model with random weights; print what it finds in each text alone."""

import json
import sys

import torch
from gliner import GLiNER

folder, texts, tokenizer = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3]
torch.manual_seed(1)
encoder = {"model_type": "bert", "vocab_size": 200, "hidden_size": 32}
encoder |= {"num_hidden_layers": 1, "num_attention_heads": 2}
sizes = {"model_name": tokenizer, "encoder_config": encoder, "hidden_size": 32, "max_width": 4}
GLiNER.from_config(sizes, backbone_from_pretrained=False).save_pretrained(folder)
model = GLiNER.from_pretrained(folder)
asked = [model.predict_entities(text, ["gene", "protein"], threshold=0.5) if text else [] for text in texts]
print(json.dumps([[(m["start"], m["end"]) for m in found] for found in asked]))
