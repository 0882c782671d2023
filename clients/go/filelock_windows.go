package earnest

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file for this process until it is closed. The system ends the lock with the process.
func lockFile(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	access := uint32(syscall.GENERIC_READ | syscall.GENERIC_WRITE)
	// No other process can open a file that is not shared.
	handle, err := syscall.CreateFile(name, access, 0, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	const sharingViolation = syscall.Errno(32)
	if errors.Is(err, sharingViolation) {
		return nil, &FileInUseError{Path: path}
	}
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(handle), path), nil
}

// syncFolder does nothing: Windows has no such call.
func syncFolder(string) error { return nil }
