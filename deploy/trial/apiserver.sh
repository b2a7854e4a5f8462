# shellcheck shell=bash
# What deploy/trial/dry-run-chart and deploy/trial/node share: etcd and a kube-apiserver. Sourced in a network of its own.
node_address=10.99.0.1

# start_apiserver CACHE FOLDER: starts both as jobs of the script, with their state in FOLDER, and writes FOLDER/kubeconfig for an administrator.
start_apiserver() {
  local cache=$1 folder=$2 token end=$((SECONDS + 90))
  # An address of its own: the server does not advertise the loopback.
  ip address add "$node_address/32" dev lo
  token=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
  echo "$token,admin,admin,system:masters" >"$folder/tokens"
  openssl genrsa -out "$folder/accounts.pem" 2048 2>/dev/null
  (umask 077 && cat >"$folder/kubeconfig") <<YAML
apiVersion: v1
kind: Config
clusters: [{ name: trial, cluster: { server: "https://$node_address:6443", insecure-skip-tls-verify: true } }]
users: [{ name: admin, user: { token: "$token" } }]
contexts: [{ name: trial, context: { cluster: trial, user: admin } }]
current-context: trial
YAML
  etcd --data-dir "$folder/etcd" --log-level error >"$folder/etcd.log" 2>&1 &
  "$cache/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --cert-dir "$folder/certificates" --bind-address "$node_address" \
    --advertise-address "$node_address" --kubelet-preferred-address-types InternalIP --service-cluster-ip-range 10.98.0.0/24 --token-auth-file "$folder/tokens" --authorization-mode RBAC \
    --service-account-issuer https://trial --service-account-key-file "$folder/accounts.pem" --service-account-signing-key-file "$folder/accounts.pem" \
    >"$folder/kube-apiserver.log" 2>&1 &
  until KUBECONFIG=$folder/kubeconfig HOME=$folder kubectl get --raw /readyz >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || { tail -n 20 "$folder/kube-apiserver.log"; echo 'kube-apiserver did not become ready.' >&2; exit 1; }
    sleep 0.5
  done
}
