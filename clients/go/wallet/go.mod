module github.com/earnest-market/earnest-go/wallet

go 1.25.0

require github.com/earnest-market/earnest-go v0.1.0-rc.1

require (
	filippo.io/mldsa v0.0.0-20260215214346-43d0283efc3e // indirect
	github.com/transparency-dev/formats v0.1.1 // indirect
	golang.org/x/mod v0.36.0 // indirect
)

require (
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.4.0
	golang.org/x/crypto v0.52.0 // indirect
	golang.org/x/sys v0.45.0 // indirect
)

replace github.com/earnest-market/earnest-go => ../
