import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { openAuditSource } from '../../core/audit/read-audit.ts'
import { collectReceiptFacts } from '../../core/receipts/create-receipt.ts'
import { formatReceipt } from '../../core/receipts/receipt.ts'
import { verifyReceipt } from '../../core/receipts/verify-receipt.ts'
import {
  BUNDLE_EXTENSION,
  malformedBundleError,
  readBundle,
  writeBundle,
} from '../../core/signing/envelope/bundle-file.ts'
import { signEnvelope, type SignedEnvelope } from '../../core/signing/envelope/dsse.ts'
import { STATEMENT_PAYLOAD } from '../../core/signing/statement/statement.ts'
import { parseSource } from '../../core/signing/trust/source.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { openUserKeys, openUserTrust } from '../signing/open-stores.ts'
import { askPassphrase } from '../signing/passphrase.ts'
import { selectKey } from '../signing/select-key.ts'
import { findRunOrHash } from '../store/find-run-by-hash.ts'
import { VERSION } from '../version.ts'
import { describeReceiptCheck, toJsonReceiptCheck } from './receipt-view.ts'

/** `skills runs receipt`. */
export async function runReceipt(context: Context, call: CommandLine): Promise<number> {
  const isVerification = getTextOption(call, 'verify') !== undefined
  const foreign = isVerification ? ['key', 'out', 'passphraseFd'] : ['audit', 'source']
  for (const name of foreign) {
    if (call.options[name] === undefined) continue
    const flag = name === 'passphraseFd' ? 'passphrase-fd' : name
    const rule = isVerification ? 'is not used with --verify' : 'needs --verify <file>'
    throw new SkillsError('usage/invalid', `--${flag} ${rule}`)
  }
  return isVerification ? await checkReceipt(context, call) : await writeReceipt(context, call)
}

async function writeReceipt(context: Context, call: CommandLine): Promise<number> {
  const [word] = call.args
  if (word === undefined) {
    throw new SkillsError('usage/invalid', 'Missing the run that the receipt is of', {
      hint: 'Type "skills runs ls" to see the ids, or pass --verify <file>',
    })
  }
  const runtime = await openRuntime(context)
  const facts = await collectReceiptFacts(runtime, await findRunOrHash(runtime, word))
  const run = facts.record.run_id
  const file = resolve(context.cwd, getTextOption(call, 'out') ?? `${run}${BUNDLE_EXTENSION}`)
  if (existsSync(file)) {
    throw new SkillsError('usage/invalid', `"${file}" exists already`, {
      hint: 'Pass another file with --out, or remove it',
    })
  }
  const name = selectKey(context, call)
  const key = await openUserKeys(context).open(
    name,
    async () => await askPassphrase(context, call, { key: name, isNew: false }),
  )
  const issuedAt = new Date().toISOString()
  const payload = formatReceipt({ ...facts, issuedAt, toolVersion: VERSION })
  await writeBundle(file, [signEnvelope(STATEMENT_PAYLOAD, payload, key)])
  if (context.global.json) {
    const { chain } = facts
    context.document('skills.receipt/v1', { run, key: key.id, file, chain })
  } else {
    context.print(`signed ${run} ${facts.chain.record}`)
    context.note(`The receipt is in "${file}"`)
  }
  return 0
}

async function checkReceipt(context: Context, call: CommandLine): Promise<number> {
  const file = resolve(context.cwd, getTextOption(call, 'verify') ?? '')
  const source = getTextOption(call, 'source')
  const envelope = readReceiptFile(file)
  const folder = findAuditFolder(context, call)
  const runtime = await openRuntime(context)
  const verification = await verifyReceipt({
    envelope,
    place: file,
    trust: openUserTrust(context).read(),
    source: source === undefined ? undefined : parseSource(source),
    expected: parseRunId(call.args[0]),
    now: Date.now(),
    stores: {
      source: folder === undefined ? await runtime.auditSource() : openAuditSource(folder),
      runs: await runtime.runs(),
      isLogRequired: folder !== undefined,
    },
  })
  if (context.global.json) {
    context.document('skills.receipt-verification/v1', toJsonReceiptCheck(file, verification))
  } else {
    context.print(describeReceiptCheck(context.style, toPrintable(file), verification))
  }
  return verification.state === 'verified' ? 0 : 1
}

/** A file with several envelopes would have one that is not shown. */
function readReceiptFile(file: string): SignedEnvelope {
  const envelopes = readBundle(file)
  if (!envelopes) {
    throw new SkillsError('file/not-found', `There is no receipt "${file}"`, {
      hint: 'Write one with: skills runs receipt <run> --out <file>',
    })
  }
  const [envelope] = envelopes
  if (!envelope || envelopes.length > 1) {
    throw malformedBundleError(file, `it has ${envelopes.length} lines, expected 1`)
  }
  return envelope
}

/** The run may be stored on another machine only, so that its id cannot be completed. */
function parseRunId(word: string | undefined): string | undefined {
  if (word === undefined || /^run_[0-9a-f]{8,64}$/.test(word)) return word
  throw new SkillsError('usage/invalid', `"${word}" is not the complete id of a run`, {
    hint: 'Type it as "skills runs ls --ids" prints it',
  })
}

function findAuditFolder(context: Context, call: CommandLine): string | undefined {
  const option = getTextOption(call, 'audit')
  if (option === undefined) return undefined
  const folder = resolve(context.cwd, option)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new SkillsError('file/not-found', `There is no folder "${option}"`, {
    hint: 'Pass the folder of an audit log: it has head.json and files *.jsonl',
  })
}
