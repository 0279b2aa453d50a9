// @module-tag slow
import { IS_FULL } from '../../../helpers/matrix.ts'
import { CONFORMANCE_ROWS, testConformance } from './test-conformance.ts'

/** Rows of the full matrix: the fast run has the first one, and the others repeat what podman shows, more slowly. */
const FULL = ['podman with gVisor', 'docker']
await testConformance(
  CONFORMANCE_ROWS.filter(
    ({ title }) => title !== 'namespaces, by forks' && (IS_FULL || !FULL.includes(title)),
  ),
)
