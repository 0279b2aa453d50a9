import type { BackendName } from '../../../../src/core/sandbox/isolation.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import type { Matrix } from '../../../helpers/matrix.ts'
import type { RequiredGuarantee } from './case.ts'
import { isRoot, type Tier } from './start-worker.ts'

/** A backend under attack, and the user that starts its runs. */
export interface Subject {
  backend: BackendName
  tier: Tier
  /** Path by which its runs are started. */
  path: 'cold' | 'warm'
  /** Reason for skipping it here, appended to the names of its tests. */
  left: string
}

interface Attack {
  id: string
  needs: RequiredGuarantee
}

const onlyRoot = isRoot ? '' : ' (not run: these tests run as an ordinary user)'

/** Backends without isolation are never attacked as root. */
export const SUBJECTS: readonly Subject[] = [
  { backend: 'namespaces', tier: 'root', path: 'cold', left: onlyRoot },
  { backend: 'namespaces', tier: 'root', path: 'warm', left: onlyRoot },
  { backend: 'namespaces', tier: 'user', path: 'cold', left: '' },
  { backend: 'namespaces', tier: 'user', path: 'warm', left: '' },
  { backend: 'bubblewrap', tier: 'root', path: 'cold', left: onlyRoot },
  { backend: 'bubblewrap', tier: 'root', path: 'warm', left: onlyRoot },
  { backend: 'bubblewrap', tier: 'user', path: 'cold', left: '' },
  { backend: 'bubblewrap', tier: 'user', path: 'warm', left: '' },
  { backend: 'process', tier: 'user', path: 'cold', left: '' },
]

/** Backends that mount /proc and /dev themselves. */
const OWN_MOUNTS: readonly BackendName[] = ['namespaces', 'bubblewrap']

const ALWAYS: readonly RequiredGuarantee[] = ['channel', 'secrets']

/** Selects the cases that a backend guarantees to hold; others would harm this machine. */
export async function selectGuaranteed<Case extends Attack>(
  backend: BackendName,
  cases: readonly Case[],
): Promise<Case[]> {
  const { guarantees } = await new Sandboxes().openBackend(backend)
  return cases.filter(({ needs }) => {
    if (needs === 'limits') return guarantees.tier !== 'none'
    if (needs === 'mounts') return OWN_MOUNTS.includes(backend)
    return ALWAYS.includes(needs) || guarantees.isolates[needs as keyof typeof guarantees.isolates]
  })
}

/** Attacks on the subjects that can be attacked here. */
export async function createMatrix<Case extends Attack>(
  attacks: readonly Case[],
): Promise<Matrix<Case, Subject>> {
  const guaranteed = new Map<BackendName, readonly Case[]>()
  for (const { backend } of SUBJECTS)
    guaranteed.set(backend, await selectGuaranteed(backend, attacks))
  return {
    attacks,
    subjects: SUBJECTS.filter(({ left }) => left === ''),
    name: ({ id }) => id,
    describe: ({ backend, tier, path }) => ({ backend, user: tier, path }),
    applies: (attack, { backend }) => guaranteed.get(backend)?.includes(attack) === true,
  }
}
