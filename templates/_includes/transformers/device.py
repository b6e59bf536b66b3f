{% include 'pytorch/device.py' %}
