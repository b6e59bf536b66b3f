{% include 'framework-pytorch/env.py' %}
{% if template == 'llm' %}
# Only a model of the hub needs the hub.
if not os.environ.get("SERVE_MODEL_DIR", "").startswith("hf://"):
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
{% elif template != 'service' %}
# Models come from folders: nothing asks the hub, in production as in tests.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
{% endif %}
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
