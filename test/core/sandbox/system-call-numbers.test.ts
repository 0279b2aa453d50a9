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

/** Calls that the filter checks by their arguments. */
const FIELDS = {
  clone: 'clone',
  clone3: 'clone3',
  socket: 'socket',
  socketpair: 'socketpair',
  ioctl: 'ioctl',
  personality: 'personality',
  prlimit: 'prlimit64',
  openat2: 'openat2',
  shmget: 'shmget',
} as const
const AUDIT = { x64: 0xc0000000 + 62, arm64: 0xc0000000 + 183 }
const MODES = {
  x64: { 1: ['creat', 'chmod', 'fchmod', 'mknod'], 2: ['mknodat', 'fchmodat'] },
  arm64: { 1: ['fchmod'], 2: ['mknodat', 'fchmodat'] },
} as const
const FCHMODAT2 = 452
const MAKERS = { x64: ['open', 'openat'], arm64: ['openat'] } as const
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

function listRefused({ denied, absent, unmappedMemory }: SystemCalls): [string, number][] {
  return Object.entries({ ...denied, ...absent, ...unmappedMemory })
}

describe.skipIf(!isHere).each(ARCHITECTURES)(`the numbers of %s${why}`, (architecture) => {
  const calls = SYSTEM_CALLS[architecture] as SystemCalls
  const header = headers[architecture]
  const newest = Math.max(...header.values())
  const find = (names: readonly string[]) => names.map((name) => header.get(name))

  it('are those of Linux for refused calls', () => {
    const known = listRefused(calls).filter(([, number]) => number <= newest)
    expect(known.length).toBeGreaterThan(50)
    expect(known.filter(([name, number]) => header.get(name) !== number)).toEqual([])
  })

  it('are those of Linux for calls whose arguments are checked', () => {
    const own = Object.keys(FIELDS).map((field) => calls[field as keyof typeof FIELDS])
    expect(own).toEqual(find(Object.values(FIELDS)))
    expect(calls.audit).toBe(AUDIT[architecture])
    expect(calls.modes[1]).toEqual(find(MODES[architecture][1]))
    expect(calls.modes[2]).toEqual([...find(MODES[architecture][2]), FCHMODAT2])
    expect(calls.makers.map(({ number }) => number)).toEqual(find(MAKERS[architecture]))
  })

  it('include each call that the other architecture refuses and this one has', () => {
    const own = new Set(listRefused(calls).map(([name]) => name))
    const others = ARCHITECTURES.filter((each) => each !== architecture)
    const names = others.flatMap((each) => listRefused(SYSTEM_CALLS[each] as SystemCalls))
    const missing = names.filter(([name]) => header.has(name) && !own.has(name))
    expect(missing.map(([name]) => name)).toEqual([])
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

it('calls since Linux 5.1 have the same number on every architecture', () => {
  const [x64, arm64] = ARCHITECTURES.map((each) =>
    listRefused(SYSTEM_CALLS[each] as SystemCalls).filter(([, number]) => number >= 424),
  )
  expect(x64).toEqual(arm64)
})
