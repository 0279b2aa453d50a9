import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  ARCHIVE,
  createProvenance,
  FACTS,
  SLSA_V02,
  signProvenance,
  trustWorkflow,
  verifyPackage,
  type StatementVariant,
} from './attestation-fixtures.ts'

describe('the facts of provenance', () => {
  const read = async (variant: StatementVariant) => {
    const { bundle, sigstore } = await signProvenance(variant)
    const trusted = [trustWorkflow({ sources: ['*'] })]
    return verifyPackage([bundle], { sigstore, trusted }).attestations[0]?.statement?.provenance
  }

  it('of version 0.2 are those of its source', async () => {
    const predicate = {
      builder: { id: 'https://gitlab.com/alice/skills/-/runners/1' },
      invocation: {
        configSource: {
          uri: 'git+https://gitlab.com/alice/skills',
          digest: { sha1: FACTS.commit },
          entryPoint: 'publish',
        },
      },
    }
    expect(await read({ type: SLSA_V02, predicate })).toEqual({
      repository: 'https://gitlab.com/alice/skills',
      ref: undefined,
      commit: FACTS.commit,
      workflow: 'publish',
      builder: 'https://gitlab.com/alice/skills/-/runners/1',
    })
  })

  it('of other builders are those that are there, with values of other types left out', async () => {
    const absent = {
      repository: undefined,
      ref: undefined,
      commit: undefined,
      workflow: undefined,
      builder: undefined,
    }
    expect(await read({ predicate: { buildDefinition: 'x', runDetails: [1] } })).toEqual(absent)
    const source = 'git+https://example.com/alice/skills.git@refs/heads/main'
    const resolvedDependencies = [
      { uri: 'docker://image', digest: { sha256: hash('sha256', ARCHIVE) } },
      { uri: source, digest: { sha1: FACTS.commit } },
    ]
    const predicate = { buildDefinition: { resolvedDependencies } }
    expect(await read({ predicate })).toEqual({
      ...absent,
      repository: 'https://example.com/alice/skills',
      ref: 'refs/heads/main',
      commit: FACTS.commit,
    })
  })

  it('have no commit of another repository', async () => {
    const predicate = structuredClone(createProvenance()) as {
      buildDefinition: { resolvedDependencies: { uri: string }[] }
    }
    predicate.buildDefinition.resolvedDependencies[0]!.uri = 'git+https://github.com/mallory/x'
    expect(await read({ predicate })).toEqual({ ...FACTS, commit: undefined })
  })

  it('with a repository without end are refused', async () => {
    const predicate = createProvenance(`https://github.com/${'a'.repeat(3000)}`)
    await expect(read({ predicate })).rejects.toThrow(/expected at most 2000 characters/)
  })
})
