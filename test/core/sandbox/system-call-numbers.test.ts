import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SYSTEM_CALLS, type SystemCalls } from '../../../src/core/sandbox/seccomp/system-calls.ts'

const GUEST = fileURLToPath(new URL('../../../src/guest/', import.meta.url))
const PYTHON = '/usr/bin/python3'
/** Headers of Linux; arm64 uses the generic numbers. */
const HEADERS = {
  x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
  arm64: '/usr/include/asm-generic/unistd.h',
} as const
type Architecture = keyof typeof HEADERS
const ARCHITECTURES = Object.keys(HEADERS) as Architecture[]

const isHere = Object.values(HEADERS).every((file) => existsSync(file))
const why = isHere ? '' : ' (not run: needs the package linux-libc-dev of x86-64)'

/** Python's names of machines. */
const MACHINES = { x64: 'x86_64', arm64: 'aarch64' } as const

const AUDIT = { x64: 0xc0000000 + 62, arm64: 0xc0000000 + 183 }
/** Calls in which a process waits for input, by the names of `src/guest/waiting.py`. */
const WAITS = {
  x64: ['read', 'readv', 'poll', 'ppoll', 'select', 'pselect6', 'epoll_wait', 'epoll_pwait'],
  arm64: ['read', 'readv', 'ppoll', 'pselect6', 'epoll_pwait'],
} as const

function readHeader(architecture: Architecture): ReadonlyMap<string, number> {
  if (!isHere) return new Map()
  const text = readFileSync(HEADERS[architecture], 'utf8')
  const rows = text.matchAll(/^#define __NR_(?!syscalls)(\w+)\s+(\d+)$/gm)
  return new Map([...rows].map(([, name = '', number]) => [name, Number(number)]))
}

const headers = { x64: readHeader('x64'), arm64: readHeader('arm64') }

describe.skipIf(!isHere).each(ARCHITECTURES)(`the numbers of %s${why}`, (architecture) => {
  const calls = SYSTEM_CALLS[architecture] as SystemCalls
  const header = headers[architecture]
  const newest = Math.max(...header.values())
  const find = (names: readonly string[]) => names.map((name) => header.get(name))

  it('are those of Linux', () => {
    const known = [...calls.numbers].filter(([name]) => header.has(name))
    expect(known.length).toBeGreaterThan(250)
    expect(known.filter(([name, number]) => header.get(name) !== number)).toEqual([])
    expect(calls.audit).toBe(AUDIT[architecture])
  })

  it('are those of all calls of Linux', () => {
    const last = Math.max(...calls.numbers.values())
    const missing = [...header].filter(([name, at]) => at <= last && !calls.numbers.has(name))
    // The generic header has calls of 32-bit machines, and a mark.
    const others = /64$|^sync_file_range2$|^arch_specific_syscall$/
    expect(missing.filter(([name]) => !others.test(name))).toEqual([])
  })

  it.skipIf(!existsSync(PYTHON))('are those of Linux where a process waits for input', () => {
    const machine = JSON.stringify(MACHINES[architecture])
    const code = `import json, os, sys, types
os.uname = lambda: types.SimpleNamespace(machine=${machine})
sys.path.insert(0, ${JSON.stringify(GUEST)})
import waiting
print(json.dumps(list(waiting.CALLS)))`
    const printed = execFileSync(PYTHON, ['-I', '-B', '-c', code], { encoding: 'utf8' })
    const own = (JSON.parse(printed) as number[]).filter((number) => number <= newest)
    const named = find(WAITS[architecture])
    const newer = header.get('epoll_pwait2')
    expect(own.toSorted((a, b) => a - b)).toEqual(
      [...named, newer].filter((each) => each !== undefined).toSorted((a, b) => a - b),
    )
  })
})
