import type { CommandDefinition } from '../command.ts'
import { PASSPHRASE_OPTION } from '../signing/passphrase.ts'

export const receiptCommand: CommandDefinition = {
  summary: 'Write or verify a signed receipt of a run',
  details: [
    'Write or verify a signed receipt of a run.',
    '',
    '- A receipt is an in-toto statement (DSSE): digests of skills, code, inputs',
    '  and outputs, policy, isolation, limits, network attempts, result, times,',
    '  and the position of the run in the audit log. It has no bodies.',
    '- The run has to have ended; its record and the audit log have to be intact.',
    '- --verify checks the signature by "skills keys", and compares the facts',
    '  with the audit log and the run record, where they are present.',
    '- Exits with 0 if the receipt is verified, 1 if not, and 2 if it or the',
    '  trust list is not valid.',
  ].join('\n'),
  arguments: [
    {
      syntax: '[run]',
      description: 'Id of the run or its beginning; with --verify, the expected id',
    },
  ],
  options: [
    {
      flags: '--key <name>',
      description: 'Name of the key, as in "skills keys list" (default: the only one)',
    },
    { flags: '--out <file>', description: 'Write to this new file (default: <run>.intoto.jsonl)' },
    { flags: '--verify <file>', description: 'Verify this receipt instead' },
    {
      flags: '--audit <folder>',
      description: 'Compare with this audit log, which has to have the run',
    },
    { flags: '--source <source>', description: 'Source for which the key must be trusted' },
    PASSPHRASE_OPTION,
  ],
  examples: [
    {
      command: 'skills runs receipt 9f2a41 --key release',
      explains: 'Sign a receipt, and write it to the current folder',
      notRun: 'it needs a recorded run and a key',
    },
    {
      command: 'skills runs receipt --verify receipt.intoto.jsonl --audit ./audit',
      explains: 'Verify a receipt against a copy of the audit log',
      notRun: 'it needs a receipt',
    },
  ],
  async run(context, call) {
    return await (await import('./run-receipt.ts')).runReceipt(context, call)
  },
}
