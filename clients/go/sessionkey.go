package earnest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SessionKeyOf returns the public key of a folder's session key, for the service's SessionKey. It makes the key if there is none.
func SessionKeyOf(folder string) (string, error) {
	key, err := readSessionKey(folder)
	if err != nil {
		return "", err
	}
	return publicTextOf(key), nil
}

func publicTextOf(key ed25519.PrivateKey) string {
	return base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
}

func readSessionKey(folder string) (ed25519.PrivateKey, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "session-key.pem")
	if err := makeSessionKey(path); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("earnest: %s has no key in PEM", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, isKey := parsed.(ed25519.PrivateKey)
	if err != nil || !isKey {
		return nil, fmt.Errorf("earnest: %s is no Ed25519 key", path)
	}
	return key, nil
}

// makeSessionKey makes a key unless there is one. Another process may make it at the same time: the first one counts.
func makeSessionKey(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	text, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	err = pem.Encode(file, &pem.Block{Type: "PRIVATE KEY", Bytes: text})
	return errors.Join(err, file.Sync(), file.Close())
}
