package requests

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

const (
	// blockBytes is how large the records of a block become before it is closed. Larger ones
	// compress a little better, and cost more to look into.
	blockBytes = 128 << 10
	// maxBlock is the largest that is read, raw or as it is stored.
	maxBlock = 1 << 20

	headBytes = 4
	footBytes = 33
	magic     = "fRq2"

	flagPacked = 1 // zstd
)

// block is some records and what is known of them. On disk it is the length of all of it (as are all
// numbers: big-endian), the records, and the foot: flags, the length of the records before they
// were packed, their count, number and loss, a CRC-32C of records and foot up to there, the length
// again, and the magic.
type block struct {
	packed bool
	raw    int
	count  int
	first  uint64 // the number of its first record among those of its day
	lost   uint32 // records that were lost before it
	data   []byte // as stored
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (b *block) size() int { return headBytes + len(b.data) + footBytes }

// append appends the block as it is on disk.
func (b *block) append(to []byte) []byte {
	total := uint32(b.size())
	to = binary.BigEndian.AppendUint32(to, total)
	from := len(to)
	to = append(to, b.data...)
	var flags byte
	if b.packed {
		flags = flagPacked
	}
	to = append(to, flags)
	to = binary.BigEndian.AppendUint32(to, uint32(b.raw))
	to = binary.BigEndian.AppendUint32(to, uint32(b.count))
	to = binary.BigEndian.AppendUint64(to, b.first)
	to = binary.BigEndian.AppendUint32(to, b.lost)
	to = binary.BigEndian.AppendUint32(to, crc32.Checksum(to[from:], castagnoli))
	to = binary.BigEndian.AppendUint32(to, total)
	return append(to, magic...)
}

// footBefore reads the foot of the block that ends at an offset: all of it but the records. It
// returns where the block begins. The error is errDamaged if there is none, or that of the file.
func footBefore(f io.ReaderAt, end int64) (b block, from int64, err error) {
	if end < headBytes+footBytes {
		return b, 0, errDamaged
	}
	var foot [footBytes]byte
	if err := readAt(f, foot[:], end-footBytes); err != nil {
		return b, 0, err
	}
	total := int64(binary.BigEndian.Uint32(foot[25:]))
	b = block{
		packed: foot[0] == flagPacked, raw: int(binary.BigEndian.Uint32(foot[1:])),
		count: int(binary.BigEndian.Uint32(foot[5:])),
		first: binary.BigEndian.Uint64(foot[9:]), lost: binary.BigEndian.Uint32(foot[17:]),
	}
	from = end - total
	if string(foot[29:]) != magic || total < headBytes+footBytes || total > maxBlock || from < 0 || b.raw > maxBlock ||
		b.count > maxRecords {
		return b, 0, errDamaged
	}
	return b, from, nil
}

// blockBefore reads the whole block that ends at an offset, and checks it.
func blockBefore(f io.ReaderAt, end int64) (b block, from int64, err error) {
	if b, from, err = footBefore(f, end); err != nil {
		return b, 0, err
	}
	all := make([]byte, end-from)
	if err := readAt(f, all, from); err != nil {
		return b, 0, err
	}
	checked := len(all) - 12 // CRC, length and magic
	if binary.BigEndian.Uint32(all) != uint32(len(all)) ||
		binary.BigEndian.Uint32(all[checked:]) != crc32.Checksum(all[headBytes:checked], castagnoli) {
		return b, 0, errDamaged
	}
	b.data = all[headBytes : len(all)-footBytes]
	return b, from, nil
}

// readAt reads all of p; what is not there is damage.
func readAt(f io.ReaderAt, p []byte, at int64) error {
	_, err := f.ReadAt(p, at)
	if errors.Is(err, io.EOF) {
		return errDamaged
	}
	return err
}

// records returns what a block holds.
func (b *block) records(z *zstd.Decoder) ([]Record, error) {
	raw := b.data
	if b.packed {
		var err error
		if raw, err = z.DecodeAll(b.data, make([]byte, 0, b.raw)); err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	if len(raw) != b.raw {
		return nil, errDamaged
	}
	return decode(raw, b.count)
}

// newUnpacker returns what unpacks blocks. It must be closed.
func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBlock))
}

// goodEnd returns up to where a file of so many bytes is whole: all of it, as a rule.
func goodEnd(f io.ReaderAt, size int64) (int64, error) {
	if size == 0 {
		return 0, nil
	}
	_, _, err := blockBefore(f, size)
	if err == nil || !errors.Is(err, errDamaged) {
		return size, err
	}
	var head [headBytes]byte
	for end := int64(0); ; {
		if end+headBytes+footBytes > size {
			return end, nil
		}
		if err := readAt(f, head[:], end); err != nil {
			return end, err
		}
		next := end + int64(binary.BigEndian.Uint32(head[:]))
		if next > size || next <= end {
			return end, nil
		}
		_, from, err := blockBefore(f, next)
		if err != nil && !errors.Is(err, errDamaged) {
			return end, err
		}
		if err != nil || from != end {
			return end, nil
		}
		end = next
	}
}

// endOf returns where a file goes on, and the number of the next record.
func endOf(f *os.File) (size int64, next uint64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	if size, err = goodEnd(f, info.Size()); err != nil || size == 0 {
		return size, 0, err
	}
	last, _, err := footBefore(f, size)
	return size, last.first + uint64(last.count), err
}
