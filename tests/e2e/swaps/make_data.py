"""Writes the data of a swap: `make_data.py tabular|images|tokens FILE`."""

import base64
import csv
import io
import json
import sys
from pathlib import Path


def tabular(out):
    from sklearn.datasets import load_breast_cancer

    found = load_breast_cancer()
    with out.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow([f"f{number}" for number in range(found.data.shape[1])] + ["malignant"])
        # In scikit-learn 0 is malignant.
        table.writerows(
            [*row, 1 - kind] for row, kind in zip(found.data, found.target, strict=True)
        )


def images(out):
    from PIL import Image
    from sklearn.datasets import load_digits

    found = load_digits()
    with out.open("w") as file:
        for image, digit in zip(found.images, found.target, strict=True):
            png = io.BytesIO()
            Image.fromarray((image * 255 / 16).astype("uint8")).save(png, "PNG")
            text = base64.b64encode(png.getvalue()).decode()
            file.write(json.dumps({"png": text, "digit": int(digit)}) + "\n")


def tokens(out):
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    with (out.parent / "reviews.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=["[PAD]", "[UNK]"])
    tokenizer.train_from_iterator([row["text"] for row in rows], trainer)
    with out.open("w") as file:
        for row in rows:
            ids = tokenizer.encode(row["text"]).ids
            file.write(json.dumps({"tokens": ids, "label": row["label"]}) + "\n")


if __name__ == "__main__":
    {"tabular": tabular, "images": images, "tokens": tokens}[sys.argv[1]](Path(sys.argv[2]))
