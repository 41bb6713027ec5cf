package member

import (
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/forage-net/forage/storage/warc/digest"
)

const (
	// fillerHead begins a record that holds nothing. The length is that of its block, always of ten digits.
	fillerHead = "WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:%s>\r\n" +
		"WARC-Date: 1970-01-01T00:00:00Z\r\n" +
		"WARC-Block-Digest: %s\r\nContent-Type: application/octet-stream\r\nContent-Length: %010d\r\n\r\n"
	// LeastFiller is the shortest filler that anybody needs, in bytes: no capture is as short.
	LeastFiller = 512
	// storedHead is what a stored block takes beside its bytes.
	storedHead = 5
	memberTail = 8
)

// WriteFiller writes a member of n bytes that holds a record of zeros. They are left out where the disk can
// leave holes.
func WriteFiller(to interface {
	io.Writer
	io.Seeker
}, n int64) error {
	if n == 0 {
		return nil
	}
	var ids [1]ID
	DrawIDs(ids[:])
	zeros, block := make([]byte, maxStored), sha1.New()
	headOf := func(length int64) []byte {
		return fmt.Appendf(nil, fillerHead, ids[0][:], digest.Append(nil, block.Sum(nil)), length)
	}
	head := headOf(0)
	room := n - int64(len(Header)+storedHead+len(head)+storedHead+len(recordEnd)+memberTail)
	blocks := (room + storedHead + maxStored - 1) / (storedHead + maxStored)
	length := room - blocks*storedHead
	if room < 0 || length < 0 {
		return fmt.Errorf("%d bytes are too few for a record", n)
	}
	for left := length; left > 0; left -= maxStored {
		block.Write(zeros[:min(left, maxStored)])
	}
	head = headOf(length)
	var w Writer
	w.Out = append(w.Out, Header...)
	w.store(head)
	sum := crc32.ChecksumIEEE(head)
	for left := length; blocks > 0; blocks-- {
		size := min(left, maxStored)
		left -= size
		sum = crc32.Update(sum, crc32.IEEETable, zeros[:size])
		w.Out = append(w.Out, 0, byte(size), byte(size>>8), ^byte(size), ^byte(size>>8))
		if _, err := to.Write(w.Out); err != nil {
			return err
		}
		w.Out = w.Out[:0]
		if _, err := to.Seek(size, io.SeekCurrent); err != nil {
			return err
		}
	}
	w.storeLast([]byte(recordEnd))
	sum = crc32.Update(sum, crc32.IEEETable, []byte(recordEnd))
	w.Out = binary.LittleEndian.AppendUint32(w.Out, sum)
	w.Out = binary.LittleEndian.AppendUint32(w.Out, uint32(int64(len(head))+length+int64(len(recordEnd))))
	_, err := to.Write(w.Out)
	return err
}
