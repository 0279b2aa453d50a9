import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { findFetchedDifference } from './compare-fetched.ts'
import type {
  PlannedWrite,
  PublishCall,
  PublishTarget,
  SkillRelease,
} from './targets/publish-target.ts'

/** Writes a release, fetches it back as any client would, and compares all digests. */
export async function publishRelease(
  target: PublishTarget,
  release: SkillRelease,
  call: Omit<PublishCall, 'onWritten'> & Partial<Pick<PublishCall, 'onWritten'>>,
): Promise<readonly PlannedWrite[]> {
  const written: PlannedWrite[] = []
  const onWritten = (write: PlannedWrite): void => {
    written.push(write)
    call.onWritten?.(write)
  }
  try {
    await target.write(release, { ...call, onWritten })
  } catch (thrown) {
    throw describeInterruption(thrown, { signal: call.signal, target, release, written })
  }
  await verifyPublished(target, release, { ...call, onWritten: () => {} })
  return written
}

async function verifyPublished(
  target: PublishTarget,
  release: SkillRelease,
  call: PublishCall,
): Promise<void> {
  const what = `${release.skill}@${release.version}`
  let difference: string | undefined
  try {
    difference = findFetchedDifference(release, await target.fetchBack(release, call))
  } catch (thrown) {
    if (call.signal.aborted) {
      throw new SkillsError(
        'run/cancelled',
        `${what} is on "${target.label}", but was not fetched back`,
        { hint: 'Type the same command again: it compares what is there' },
      )
    }
    throw thrown
  }
  if (difference === undefined) return
  throw new SkillsError(
    'remote/unexpected',
    `"${target.label}" returns something else for ${what}: ${toPrintable(difference)}`,
    { hint: 'Check the target; then type the same command again, or yank the version' },
  )
}

/** After a signal, the error lists what was written; nothing of it is part of an index yet. */
function describeInterruption(
  thrown: unknown,
  state: {
    signal: AbortSignal
    target: PublishTarget
    release: SkillRelease
    written: readonly PlannedWrite[]
  },
): unknown {
  const { signal, target, release, written } = state
  if (!signal.aborted) return thrown
  const paths = written.map(({ path }) => path)
  const done =
    paths.length === 0 ? 'Nothing was written' : `Written before: ${toPrintable(paths.join(', '))}`
  return new SkillsError(
    'run/cancelled',
    `${release.skill}@${release.version} was not published to "${toPrintable(target.label)}". ${done}`,
    { hint: 'Type the same command again to complete it', data: { written: paths } },
  )
}
