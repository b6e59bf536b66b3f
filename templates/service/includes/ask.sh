answer=$(curl --fail --silent --show-error --header 'Content-Type: application/json' \
    --data "$(inside python -m {{ package }} example)" "http://$address/v1/predict")
echo "$answer"
echo "$answer" | grep --quiet '"predictions":\[.'
curl --fail --silent "http://$address/metrics" | grep '^inference_http_requests_total.*predict'
