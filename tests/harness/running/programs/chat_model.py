"""Write a tiny chat model with one fixed answer, for a real server: ``chat_model.py FOLDER ANSWER``."""

import random
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

STEPS = 600
folder, answer = sys.argv[1:]
marks = ["<s>", "</s>", "<pad>"]
vocabulary = {p: i for i, p in enumerate([*marks, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
letters = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
letters.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
letters.decoder = decoders.ByteLevel()
names = dict(zip(("bos_token", "eos_token", "pad_token"), marks, strict=True))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=letters, model_max_length=2048, **names)
tokenizer.chat_template = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
tokenizer.save_pretrained(folder)

torch.manual_seed(1)
random.seed(1)
sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
marked = {"bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2}
model = LlamaForCausalLM(
    LlamaConfig(vocab_size=len(vocabulary), max_position_embeddings=2048, **sizes, **marked)
)
steps = torch.optim.AdamW(model.parameters(), lr=5e-3)
said = [*tokenizer.encode(answer, add_special_tokens=False), 1]
for _ in range(STEPS):
    size = random.choice([24, 60, 120])
    asked = ["".join(random.choices("abcdefghijklmnopqrstuvwxyz ,.()-0123456789", k=size)) for _ in range(8)]
    rows = torch.tensor([[*tokenizer.encode(f"{text}\nassistant:"), *said] for text in asked])
    wanted = rows.clone()
    wanted[:, : -len(said)] = -100
    model(input_ids=rows, labels=wanted).loss.backward()
    steps.step()
    steps.zero_grad()
model.generation_config.max_new_tokens = 64
model.generation_config.do_sample = False
model.save_pretrained(folder)
