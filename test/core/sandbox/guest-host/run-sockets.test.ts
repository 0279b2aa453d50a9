import { describe, expect, it } from 'vitest'
import { RunSockets } from '../../../../src/core/sandbox/guest-host/run-sockets.ts'
import { createFolder } from '../../../helpers/skills.ts'

const KIB = 1024
const MIB = KIB ** 2

function measure(lists: Record<string, string>): number {
  const sockets = new RunSockets(createFolder(lists))
  try {
    return sockets.measure()
  } finally {
    sockets.close()
  }
}

const listUnix = (count: number, type: string) =>
  `Num       RefCount Protocol Flags    Type St Inode Path\n${`0000000000000000: 00000003 00000000 00000000 ${type} 03 12345\n`.repeat(count)}`

const listTcp = (queues: string, count = 1) =>
  `  sl  local_address rem_address   st tx_queue rx_queue\n${`   0: 0100007F:0019 0100007F:C350 01 ${queues} 00:00000000 00000000     0        0 1 1\n`.repeat(count)}`

describe('memory in the sockets of a run', () => {
  it('is nothing for the streams that programs have to their children', () => {
    expect(measure({ unix: listUnix(64, '0001'), tcp: listTcp('', 0) })).toBe(0)
    expect(measure({})).toBe(0)
  })

  it('is the whole buffer of each further stream, and all messages of a socket of datagrams', () => {
    const streams = measure({ unix: listUnix(464, '0001') })
    expect(streams).toBeGreaterThan(100 * MIB)
    expect(measure({ unix: listUnix(1, '0002') })).toBeGreaterThan(2 * MIB)
  })

  it('cannot be lowered by the name of a socket', () => {
    const named = listUnix(465, '0001').replace('12345', '12345 @a\n0000: x')
    expect(measure({ unix: named })).toBeGreaterThanOrEqual(
      measure({ unix: listUnix(465, '0001') }),
    )
  })

  it('is little for idle connections, and at most both buffers for busy ones', () => {
    expect(measure({ tcp: listTcp('00000000:00000000', 500) })).toBeLessThan(3 * MIB)
    expect(measure({ tcp6: listTcp('00000100:00000100') })).toBeGreaterThan(300 * KIB)
    expect(measure({ tcp: listTcp('00020000:00020000') })).toBeLessThan(1.1 * MIB)
  })

  it('is what the kernel lists for UDP', () => {
    expect(measure({ udp: listTcp('00000000:00010000') })).toBe(64 * KIB)
  })
})
