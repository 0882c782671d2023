package earnest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// FileInUseError says that another process uses the file or the folder of sessions.
type FileInUseError struct{ Path string }

func (e *FileInUseError) Error() string {
	return fmt.Sprintf("earnest: another process uses %s: stop that process, or give this one a place of its own", e.Path)
}

// readState reads a JSON file. A file that is missing leaves the value as it is.
func readState(path string, into any) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("earnest: %s: %w", path, err)
	}
	return nil
}

// writeState replaces a JSON file. The file is on the disk once it returns, and a crash leaves the old file or the new one.
func writeState(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	next := path + ".new"
	file, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}
