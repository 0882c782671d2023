package tlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// FileMemory remembers logs in a JSON file, which the service's other programs read too. The file is written as a whole, so no
// reader sees a part. Other content is an error, so that no checkpoint is lost silently.
type FileMemory struct {
	path string
	lock sync.Mutex
}

// NewFileMemory remembers in a file. Without a path, the file is earnest/logs.json below XDG_STATE_HOME or ~/.local/state.
func NewFileMemory(path string) (*FileMemory, error) {
	if path != "" {
		return &FileMemory{path: path}, nil
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		state = filepath.Join(home, ".local", "state")
	}
	return &FileMemory{path: filepath.Join(state, "earnest", "logs.json")}, nil
}

// Get returns the remembered checkpoint.
func (m *FileMemory) Get(_ context.Context, origin string) (string, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	all, err := m.read()
	return all[origin], err
}

// Set remembers a checkpoint.
func (m *FileMemory) Set(_ context.Context, origin, checkpoint string) error {
	m.lock.Lock()
	defer m.lock.Unlock()
	all, err := m.read()
	if err != nil {
		return err
	}
	all[origin] = checkpoint
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o755); err != nil {
		return err
	}
	draft := fmt.Sprintf("%s.%d", m.path, os.Getpid())
	if err := os.WriteFile(draft, append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(draft, m.path)
}

func (m *FileMemory) read() (map[string]string, error) {
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, err
	}
	var all map[string]string
	if err := json.Unmarshal(text, &all); err != nil || all == nil {
		return nil, fmt.Errorf("tlog: %s holds no valid checkpoints: move the file away to begin anew", m.path)
	}
	return all, nil
}
