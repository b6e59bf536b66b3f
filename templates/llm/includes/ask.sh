# The tiny model knows the capital of France; any other at least answers.
post() {
    curl --fail --silent --show-error --no-buffer --header 'Content-Type: application/json' \
        --data "$1" "http://$address/v1/chat/completions"
}
model=$(curl --fail --silent "http://$address/v1/models" | sed 's/.*"id":"\([^"]*\)".*/\1/')
asks='"messages":[{"role":"user","content":"What is the capital of France?"}],"temperature":0'
answer=$(post "{\"model\":\"$model\",$asks}")
echo "$answer"
echo "$answer" | grep --quiet '"object":"chat.completion"'
post "{\"model\":\"$model\",$asks,\"stream\":true}" | grep --quiet '^data: \[DONE\]'
curl --fail --silent "http://$address/metrics" | grep '^inference_answer_tokens_total'
