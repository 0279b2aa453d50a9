import { relative } from 'node:path'
import type { Judgement, SnapshotJudge } from '../../core/testing/expectations/expectation.ts'
import {
  escapeElisions,
  fitsSnapshot,
  rewriteSnapshot,
} from '../../core/testing/snapshots/elisions.ts'
import { normalizeText } from '../../core/testing/snapshots/normalizers.ts'
import {
  MAX_SNAPSHOT_BYTES,
  readSnapshot,
  removeSnapshot,
  writeSnapshot,
} from '../../core/testing/snapshots/snapshot-files.ts'
import { PENDING_EXTENSION } from '../../core/testing/snapshots/snapshot-names.ts'
import type { SnapshotRequest } from '../../core/testing/snapshots/snapshot-request.ts'
import { locateCaseSnapshot } from '../../core/testing/suites/suite-snapshots.ts'
import type { DeferWrite } from './deferred-writes.ts'
import type { PlannedCase } from './plan-tests.ts'

/**
 * Treatment of a text that its snapshot does not fit. `review`: it is written beside it, for `skills
 * test review`; `update`: it replaces it; `fixed`: nothing is written, as in CI.
 */
export type SnapshotMode = 'review' | 'update' | 'fixed'

interface SnapshotSettings {
  mode: SnapshotMode
  cwd: string
  /** Folders of the host that a text may show: markers by path. */
  folders: ReadonlyMap<string, string>
  defer: DeferWrite
}

/** Creates the judge of the snapshots of one case. */
export function createSnapshotJudge(
  { suite, testCase }: Pick<PlannedCase, 'suite' | 'testCase'>,
  settings: SnapshotSettings,
): SnapshotJudge {
  const { folders } = settings
  return {
    selectNormalizer: ({ replace, isExact }) =>
      isExact ? (text) => text : (text) => normalizeText(text, { replace, folders }),
    judge: async (request, text) =>
      await judgeSnapshot(locateCaseSnapshot(suite, testCase, request), text, {
        ...settings,
        request,
      }),
  }
}

async function judgeSnapshot(
  path: string,
  text: string,
  settings: SnapshotSettings & { request: SnapshotRequest },
): Promise<Judgement> {
  const size = Buffer.byteLength(text)
  if (size > MAX_SNAPSHOT_BYTES) {
    const expected = `a snapshot of at most ${MAX_SNAPSHOT_BYTES} bytes`
    return { isMet: false, expected, got: `${size} bytes` }
  }
  const stored = readSnapshot(path)
  const snapshot = settings.request.isExact ? stored : stored?.replaceAll('\r\n', '\n')
  if (snapshot === undefined || !fitsSnapshot(snapshot, text)) {
    return await treatDifference({ path, text, snapshot }, settings)
  }
  if (settings.mode !== 'fixed') {
    const pending = `${path}${PENDING_EXTENSION}`
    settings.defer(pending, () => removeSnapshot(pending))
  }
  return describeFit(path, settings)
}

function describeFit(path: string, { cwd }: SnapshotSettings): Judgement {
  return { isMet: true, expected: `the snapshot "${relative(cwd, path)}"` }
}

async function treatDifference(
  { path, text, snapshot }: { path: string; text: string; snapshot: string | undefined },
  settings: SnapshotSettings,
): Promise<Judgement> {
  const { mode, cwd, defer } = settings
  const pending = `${path}${PENDING_EXTENSION}`
  const rewritten = rewriteSnapshot(snapshot ?? '', text)
  const next = rewritten ?? escapeElisions(text)
  if (mode === 'update') {
    defer(path, async () => await writeSnapshot(path, next))
    defer(pending, () => removeSnapshot(pending))
    return describeFit(path, settings)
  }
  if (mode === 'review') defer(pending, async () => await writeSnapshot(pending, next))
  const lost = rewritten === undefined ? ' Its elisions are lost, because the texts are long.' : ''
  return {
    isMet: false,
    expected: `the text of the snapshot "${relative(cwd, path)}"`,
    got: `${snapshot === undefined ? 'no such file' : 'another text'}. ${ADVICE[mode]}${lost}`,
    difference: { kind: 'text', expected: snapshot ?? '', actual: next },
  }
}

const ADVICE = {
  review: 'Type "skills test review".',
  fixed: 'In CI no snapshot is written: run the tests on your machine, type "skills test review".',
} as const
