import { expect, it } from 'vitest'
import { buildMain, runPython } from '../runs/run-python.ts'

it.each([
  ['auto', 'no network'],
  ['process', 'none'],
])(
  'a run of the backend %s without a list reports its limit of bytes: %s',
  async (backend, how) => {
    const settings = { 'run.backend': backend }
    const { isolation } = await runPython(buildMain('return 1'), { settings })
    expect(isolation?.limits).toMatchObject({ network_bytes: how })
  },
)
