module github.com/earnest-market/earnest-go

go 1.24.0

require golang.org/x/crypto v0.45.0

require golang.org/x/sys v0.38.0 // indirect
