import type { BackendName } from '../../../../src/core/sandbox/isolation.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import type { Promised } from './case.ts'
import { isRoot, type Tier } from './start-worker.ts'

/** What is attacked: a backend, and who starts its runs. */
export interface Subject {
  backend: BackendName
  tier: Tier
  /** How its runs come to their sandboxes. */
  path: 'cold' | 'warm'
  /** Why it is left out here, to stand in the name of each test that is. */
  left: string
}

const onlyRoot = isRoot ? '' : ' (not run: these tests run as an ordinary user)'

/** What does not isolate is never given an attack as root. */
export const SUBJECTS: readonly Subject[] = [
  { backend: 'bubblewrap', tier: 'root', path: 'cold', left: onlyRoot },
  { backend: 'bubblewrap', tier: 'root', path: 'warm', left: onlyRoot },
  { backend: 'bubblewrap', tier: 'user', path: 'cold', left: '' },
  { backend: 'bubblewrap', tier: 'user', path: 'warm', left: '' },
  { backend: 'process', tier: 'user', path: 'cold', left: '' },
]

const ALWAYS: readonly Promised[] = ['channel', 'secrets']

/** The cases whose promise a backend makes; what it does not promise is not tried on this machine. */
export async function promisedBy<Case extends { needs: Promised }>(
  backend: BackendName,
  cases: readonly Case[],
): Promise<Case[]> {
  const { promises } = await new Sandboxes().openBackend(backend)
  return cases.filter(({ needs }) => {
    if (needs === 'limits') return promises.tier !== 'none'
    return ALWAYS.includes(needs) || promises.isolates[needs as keyof typeof promises.isolates]
  })
}
