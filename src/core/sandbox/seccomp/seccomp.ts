import { memoize } from '../../../util/memoize.ts'
import { classifyCall, type CallVerdict, type SystemCalls } from './system-calls.ts'

const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_GREATER_OR_EQUAL = 0x35
const JUMP_ANY_BIT = 0x45
const MASK = 0x54
const RETURN = 0x06

const NUMBER_OFFSET = 0
const ARCHITECTURE_OFFSET = 4
/** Offset of an argument's low half, on little-endian machines. */
const getArgumentOffset = (index: number) => 16 + 8 * index

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const returnErrno = (errno: number) => 0x00050000 + errno
export const EPERM = 1
export const ENOSYS = 38
const EINVAL = 22
const EPROTONOSUPPORT = 93
const EAFNOSUPPORT = 97

const AF_UNIX = 1
const AF_INET = 2
const AF_INET6 = 10
export const ALLOWED_FAMILIES: readonly number[] = [AF_UNIX, AF_INET, AF_INET6]
/** Masks the flags above the socket type. */
const SOCKET_TYPE_MASK = 0xf
const ALLOWED_SOCKET_TYPES = [1, 2]
/** Default, TCP and UDP: a rare protocol makes the kernel load a module. */
const ALLOWED_PROTOCOLS = [0, 6, 17]
/** TIOCSTI (injects input), TIOCLINUX (console selection) and TIOCSETD (line discipline). */
export const TERMINAL_REQUESTS = [0x5412, 0x541c, 0x5423]
/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES =
  0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
/** Creates a sibling, which would be a child of the process that forked the run. */
const CLONE_PARENT = 0x8000
export const REFUSED_CLONES: number = NEW_NAMESPACES | CLONE_PARENT

/** MAP_SHARED, which is in MAP_SHARED_VALIDATE as well, and MAP_ANONYMOUS. */
const SHARED_ANONYMOUS = 0x21

const SOL_SOCKET = 1
/** SO_SNDBUF, SO_RCVBUF: the kernel may grant less than requested, so a run gets the default size. */
const BUFFER_SIZES = [7, 8]
/** SO_ATTACH_FILTER: its memory is in no list. */
const ATTACH_FILTER = 26

/** O_CREAT, and the bit that only O_TMPFILE has. */
const CREATE_FLAGS = 0o100 | 0o20000000
/** S_ISUID, S_ISGID. */
const SET_ID_BITS = 0o6000

/** One instruction: opcode, jump if true, jump if false, constant. */
export type BpfInstruction = readonly [code: number, yes: number, no: number, k: number]

/** A block of instructions, and the system calls that it is for. */
type ArgumentCheck = readonly [names: readonly string[], block: readonly BpfInstruction[]]

const ENOMEM = 12
const RLIMIT_FSIZE = 1
/** Huge pages, which no memory limit counts; errors as of a kernel without free ones, or of one that keeps them. */
const HUGE_PAGES: readonly ArgumentCheck[] = [
  [['mmap'], refuseBits(3, 0x40000, ENOMEM)],
  [['memfd_create'], refuseBits(1, 4, EINVAL)],
  [['shmget'], refuseBits(2, 0o4000, EPERM)],
]

/** A persistent folder must not contain a set-uid program of its owner, who may be root. */
const MODES: readonly ArgumentCheck[] = [
  [['creat', 'chmod', 'fchmod', 'mknod'], refuseBits(1, SET_ID_BITS, EPERM)],
  [['mknodat', 'fchmodat', 'fchmodat2'], refuseBits(2, SET_ID_BITS, EPERM)],
  [['open'], refuseModes({ flags: 1, mode: 2 })],
  [['openat'], refuseModes({ flags: 2, mode: 3 })],
]

/** Allowed calls that the filter refuses with some arguments. */
const ARGUMENT_CHECKS: readonly ArgumentCheck[] = [
  // First, since mmap is frequent.
  ...HUGE_PAGES,
  [['clone'], refuseBits(0, REFUSED_CLONES, EPERM)],
  [['socket', 'socketpair'], refuseUnusualSockets()],
  [
    ['ioctl'],
    [
      [LOAD, 0, 0, getArgumentOffset(1)],
      ...TERMINAL_REQUESTS.flatMap((request) =>
        returnWhen([JUMP_EQUAL, request], returnErrno(EPERM)),
      ),
    ],
  ],
  [['personality'], allowValues(0, [0, 0xffffffff])],
  ...MODES,
  // PID 1 has the same user id; the run must not change its limits. PID 1 changes one of the others.
  [
    ['prlimit64'],
    [
      [LOAD, 0, 0, getArgumentOffset(0)],
      ...returnWhen([JUMP_EQUAL, 0], ALLOW),
      ...returnWhen([JUMP_EQUAL, 1], returnErrno(EPERM)),
      ...allowValues(1, [RLIMIT_FSIZE]),
    ],
  ],
]

/** Builds the filter of every process of a run, as classic BPF: once, since each cold run needs it. */
export const buildFilter: (calls: SystemCalls) => readonly BpfInstruction[] = memoize((calls) => [
  [LOAD, 0, 0, ARCHITECTURE_OFFSET],
  [JUMP_EQUAL, 1, 0, calls.audit],
  [RETURN, 0, 0, KILL],
  [LOAD, 0, 0, NUMBER_OFFSET],
  ...(calls.foreignFrom === undefined
    ? []
    : returnWhen([JUMP_GREATER_OR_EQUAL, calls.foreignFrom], KILL)),
  ...ARGUMENT_CHECKS.flatMap(([names, block]) => applyToSystemCalls(calls, names, block)),
  ...searchAnswer(listAnswers(calls)),
])

/** An answer, and the first number that gets it. */
type Answer = readonly [from: number, answer: number]

const ANSWERS: Readonly<Record<CallVerdict, number>> = {
  allowed: ALLOW,
  refused: returnErrno(EPERM),
  absent: returnErrno(ENOSYS),
}

/** The answers to all numbers in order. Numbers without a name, such as those of newer kernels, are absent. */
function listAnswers({ numbers }: SystemCalls): Answer[] {
  const given: number[] = []
  for (const [name, number] of numbers) given[number] = ANSWERS[classifyCall(name)]
  const answers: Answer[] = []
  for (let number = 0; number <= given.length; number++) {
    const answer = given[number] ?? ANSWERS.absent
    if (answers.at(-1)?.[1] !== answer) answers.push([number, answer])
  }
  return answers
}

/** Returns the answer to the loaded number, by halves: a jump skips at most 255 instructions. */
function searchAnswer(answers: readonly Answer[], filter: BpfInstruction[] = []): BpfInstruction[] {
  const middle = answers.length >> 1
  const [from, answer] = answers[middle] as Answer
  if (middle === 0) {
    filter.push([RETURN, 0, 0, answer])
    return filter
  }
  const at = filter.push([JUMP_GREATER_OR_EQUAL, 0, 0, from])
  searchAnswer(answers.slice(0, middle), filter)
  filter[at - 1] = [JUMP_GREATER_OR_EQUAL, filter.length - at, 0, from]
  return searchAnswer(answers.slice(middle), filter)
}

/**
 * Builds a second filter, for runs whose memory no control group limits: it refuses memory that
 * belongs to no process and to no filesystem, since it cannot be counted, and sizes of buffers.
 */
export function buildMemoryFilter(calls: SystemCalls): BpfInstruction[] {
  return [
    [LOAD, 0, 0, NUMBER_OFFSET],
    // First, since mmap is frequent.
    ...applyToSystemCalls(
      calls,
      ['mmap'],
      [
        [LOAD, 0, 0, getArgumentOffset(3)],
        [MASK, 0, 0, SHARED_ANONYMOUS],
        ...returnWhen([JUMP_EQUAL, SHARED_ANONYMOUS], returnErrno(EPERM)),
      ],
    ),
    ...applyToSystemCalls(
      calls,
      ['semget', 'msgget', 'shmget', 'memfd_create', 'landlock_create_ruleset'],
      [[RETURN, 0, 0, returnErrno(ENOSYS)]],
    ),
    ...applyToSystemCalls(
      calls,
      ['setsockopt'],
      [
        [LOAD, 0, 0, getArgumentOffset(1)],
        ...returnUnless([SOL_SOCKET], ALLOW),
        [LOAD, 0, 0, getArgumentOffset(2)],
        ...BUFFER_SIZES.flatMap((name) => returnWhen([JUMP_EQUAL, name], returnErrno(0))),
        ...returnWhen([JUMP_EQUAL, ATTACH_FILTER], returnErrno(EPERM)),
      ],
    ),
    [RETURN, 0, 0, ALLOW],
  ]
}

/** Encodes the filter in the kernel's format. */
export function encodeFilter(filter: readonly BpfInstruction[]): Buffer {
  const bytes = Buffer.alloc(filter.length * 8)
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  let at = 0
  for (const [code, yes, no, k] of filter) {
    view.setUint16(at, code, true)
    view.setUint8(at + 2, yes)
    view.setUint8(at + 3, no)
    view.setUint32(at + 4, k, true)
    at += 8
  }
  return bytes
}

function returnWhen([jump, value]: readonly [number, number], answer: number): BpfInstruction[] {
  return [
    [jump, 0, 1, value],
    [RETURN, 0, 0, answer],
  ]
}

function refuseBits(argument: number, bits: number, errno: number): BpfInstruction[] {
  return [
    [LOAD, 0, 0, getArgumentOffset(argument)],
    ...returnWhen([JUMP_ANY_BIT, bits], returnErrno(errno)),
  ]
}

function allowValues(argument: number, values: readonly number[]): BpfInstruction[] {
  return [[LOAD, 0, 0, getArgumentOffset(argument)], ...returnUnless(values, returnErrno(EPERM))]
}

function refuseModes({ flags, mode }: { flags: number; mode: number }): BpfInstruction[] {
  return [
    [LOAD, 0, 0, getArgumentOffset(flags)],
    // Without file creation, the mode argument is undefined.
    [JUMP_ANY_BIT, 1, 0, CREATE_FLAGS],
    [RETURN, 0, 0, ALLOW],
    ...refuseBits(mode, SET_ID_BITS, EPERM),
  ]
}

/** Applies a block to these system calls; calls that reach its end are allowed. */
function applyToSystemCalls(
  { numbers }: SystemCalls,
  names: readonly string[],
  block: readonly BpfInstruction[],
): BpfInstruction[] {
  return names
    .flatMap((name) => numbers.get(name) ?? [])
    .flatMap((number) => [
      [JUMP_EQUAL, 0, block.length + 1, number],
      ...block,
      [RETURN, 0, 0, ALLOW],
    ])
}

function refuseUnusualSockets(): BpfInstruction[] {
  return [
    [LOAD, 0, 0, getArgumentOffset(0)],
    ...returnWhen([JUMP_EQUAL, AF_UNIX], ALLOW),
    ...returnUnless([AF_INET, AF_INET6], returnErrno(EAFNOSUPPORT)),
    [LOAD, 0, 0, getArgumentOffset(1)],
    [MASK, 0, 0, SOCKET_TYPE_MASK],
    ...returnUnless(ALLOWED_SOCKET_TYPES, returnErrno(EPERM)),
    [LOAD, 0, 0, getArgumentOffset(2)],
    ...returnUnless(ALLOWED_PROTOCOLS, returnErrno(EPROTONOSUPPORT)),
  ]
}

/** Returns unless the loaded value is one of these; otherwise continues. */
function returnUnless(values: readonly number[], answer: number): BpfInstruction[] {
  return [
    ...values.map((value, at): BpfInstruction => [JUMP_EQUAL, values.length - at, 0, value]),
    [RETURN, 0, 0, answer],
  ]
}
