CMD ["python"]
