import { readBundle, writeBundle } from '../../core/signing/envelope/bundle-file.ts'
import type { SigningKey } from '../../core/signing/envelope/dsse.ts'
import { mergeEnvelopes, signArtifact } from '../../core/signing/sign-artifact.ts'
import { digestBytes } from '../../core/signing/statement/digest-bytes.ts'
import type { ReleaseFacts } from '../../core/signing/statement/release.ts'
import { summarizeTests } from '../../core/signing/statement/test-result.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import { parseJsonReport } from '../../testing/report/merge-reports.ts'
import { SkillsError } from '../../errors.ts'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import { toPrintable } from '../../util/printable.ts'
import { basename, resolve } from 'node:path'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { VERSION } from '../version.ts'
import { openUserKeys } from './open-stores.ts'
import { askPassphrase } from './passphrase.ts'
import { readArtifact, type FoundArtifact } from './read-artifact.ts'
import { selectKey } from './select-key.ts'

const MAX_REPORT_BYTES = 32 * 1024 ** 2

/** `skills sign`. */
export async function runSign(context: Context, call: CommandLine): Promise<number> {
  const artifact = await readArtifact(context, call)
  const release = collectFacts(call, artifact)
  const { name, version } = release.manifest
  const subjects = [
    { name: `${name}@${version}`, digest: artifact.digest },
    ...(artifact.archive ? [artifact.archive] : []),
  ]
  const tests = readTests(context, call, name)
  const key = await openSigningKey(context, call)
  const added = signArtifact({ subjects, release, tests }, key)
  const before = readBundle(artifact.bundle) ?? []
  const envelopes = mergeEnvelopes(before, added)
  await writeBundle(artifact.bundle, envelopes)
  if (context.global.json) {
    context.document('skills.signature/v1', {
      name,
      version,
      digest: artifact.digest,
      archive: artifact.archive ?? null,
      key: key.id,
      bundle: artifact.bundle,
      tests: tests?.result.result ?? null,
    })
  } else {
    context.print(toPrintable(`signed ${name}@${version} ${artifact.digest}`))
    context.note(`The signatures are in "${artifact.bundle}"`)
  }
  if (tests?.result.result === 'FAILED') {
    context.note('The report states that tests failed or did not run, and so do the signatures')
  }
  return 0
}

async function openSigningKey(context: Context, call: CommandLine): Promise<SigningKey> {
  const name = selectKey(context, call)
  return await openUserKeys(context).open(
    name,
    async () => await askPassphrase(context, call, { key: name, isNew: false }),
  )
}

function collectFacts(call: CommandLine, { manifest, files, path }: FoundArtifact): ReleaseFacts {
  if (!manifest) {
    throw new SkillsError('skill/invalid', `Cannot sign "${path}": its manifest is not valid`, {
      hint: 'Type "skills lint" with its folder to list all problems',
    })
  }
  return {
    signedAt: new Date().toISOString(),
    toolVersion: VERSION,
    files,
    manifest,
    source: readSourceOption(call),
  }
}

function readSourceOption(call: CommandLine): ReleaseFacts['source'] {
  const [source, commit] = [getTextOption(call, 'source'), getTextOption(call, 'commit')]
  if (commit !== undefined && !/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
    throw new SkillsError('usage/invalid', `"${commit}" is not the id of a commit`, {
      hint: 'Pass what "git rev-parse HEAD" prints',
    })
  }
  if (source !== undefined) return { repo: parseSource(source), commit }
  if (commit === undefined) return undefined
  throw new SkillsError('usage/invalid', '--commit needs --source', {
    hint: 'Pass --source github:owner/repo',
  })
}

function readTests(context: Context, call: CommandLine, skill: string) {
  const option = getTextOption(call, 'testReport')
  if (option === undefined) return undefined
  let bytes: Buffer | undefined
  try {
    bytes = readUpTo(resolve(context.cwd, option), MAX_REPORT_BYTES)
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError('usage/invalid', `Cannot read "${option}" (${reason})`, { cause })
  }
  const report = bytes && parseJsonReport(bytes.toString('utf8'))
  if (!bytes || !report) {
    throw new SkillsError('usage/invalid', `"${option}" is not a report of skills test`, {
      hint: 'Write one with: skills test <skill> --reporter json=report.json',
    })
  }
  const result = summarizeTests(report, skill)
  if (result.passed.length + result.warned.length + result.failed.length === 0) {
    throw new SkillsError('usage/invalid', `"${option}" has no case of the skill "${skill}"`, {
      hint: `Write one with: skills test <skill> --reporter json=${basename(option)}`,
    })
  }
  return { result, report: { name: basename(option), digest: digestBytes(bytes) } }
}
