//go:build unix

package earnest

import (
	"os"
	"syscall"
)

// lockFile locks a file for this process until it is closed. The system ends the lock with the process.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		return nil, &FileInUseError{Path: path}
	}
	return file, nil
}

// syncFolder writes a folder's entries to the disk.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = folder.Close() }()
	return folder.Sync()
}
