{% include 'framework-pytorch/env.py' %}
# Models come from folders: nothing asks the hub, in production as in tests.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
