/** Checks that no server can pass without fixtures of the suite, with the reason. */
export interface Exception {
  scenario: string
  /** All failing checks except that every message is valid, which must never fail. */
  checks: readonly string[] | 'all'
  reason: string
}

const tool = (name: string) =>
  `calls the fixture tool "${name}", which only a server under test has`
const prompt = (name: string) =>
  `gets the fixture prompt "${name}", which only a server under test has`
const resource = (uri: string) =>
  `reads the fixture resource "${uri}", which only a server under test has`
const inputRequired = 'asks a fixture tool or prompt to want input; none of our tools asks back'

/** Every inapplicable check of the suite. An entry that passes fails the test. */
export const CANNOT_APPLY: readonly Exception[] = [
  { scenario: 'tools-call-simple-text', checks: 'all', reason: tool('test_simple_text') },
  { scenario: 'tools-call-image', checks: 'all', reason: tool('test_image_content') },
  { scenario: 'tools-call-audio', checks: 'all', reason: tool('test_audio_content') },
  {
    scenario: 'tools-call-embedded-resource',
    checks: 'all',
    reason: tool('test_embedded_resource'),
  },
  {
    scenario: 'tools-call-mixed-content',
    checks: 'all',
    reason: tool('test_multiple_content_types'),
  },
  { scenario: 'tools-call-with-logging', checks: 'all', reason: tool('test_tool_with_logging') },
  { scenario: 'tools-call-error', checks: 'all', reason: tool('test_error_handling') },
  { scenario: 'tools-call-with-progress', checks: 'all', reason: tool('test_tool_with_progress') },
  { scenario: 'tools-call-sampling', checks: 'all', reason: tool('test_sampling') },
  { scenario: 'tools-call-elicitation', checks: 'all', reason: tool('test_elicitation') },
  { scenario: 'elicitation-sep1034-defaults', checks: 'all', reason: inputRequired },
  { scenario: 'elicitation-sep1330-enums', checks: 'all', reason: inputRequired },
  { scenario: 'json-schema-2020-12', checks: 'all', reason: tool('json_schema_2020_12_tool') },
  { scenario: 'resources-read-text', checks: 'all', reason: resource('test://static-text') },
  { scenario: 'resources-read-binary', checks: 'all', reason: resource('test://static-binary') },
  {
    scenario: 'resources-templates-read',
    checks: 'all',
    reason: resource('test://template/123/data'),
  },
  { scenario: 'prompts-get-simple', checks: 'all', reason: prompt('test_simple_prompt') },
  {
    scenario: 'prompts-get-with-args',
    checks: 'all',
    reason: prompt('test_prompt_with_arguments'),
  },
  {
    scenario: 'prompts-get-embedded-resource',
    checks: 'all',
    reason: prompt('test_prompt_with_embedded_resource'),
  },
  { scenario: 'prompts-get-with-image', checks: 'all', reason: prompt('test_prompt_with_image') },
  {
    scenario: 'http-custom-header-server-validation',
    checks: 'all',
    reason: 'needs a fixture tool with parameters in headers; none of our tools has such',
  },
  {
    scenario: 'server-stateless',
    checks: [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
    ],
    reason:
      'calls the fixture tools test_missing_capability, test_streaming_elicitation and test_logging_tool',
  },
  { scenario: 'input-required-result-basic-elicitation', checks: 'all', reason: inputRequired },
  { scenario: 'input-required-result-basic-sampling', checks: 'all', reason: inputRequired },
  { scenario: 'input-required-result-basic-list-roots', checks: 'all', reason: inputRequired },
  { scenario: 'input-required-result-request-state', checks: 'all', reason: inputRequired },
  {
    scenario: 'input-required-result-multiple-input-requests',
    checks: 'all',
    reason: inputRequired,
  },
  { scenario: 'input-required-result-multi-round', checks: 'all', reason: inputRequired },
  { scenario: 'input-required-result-non-tool-request', checks: 'all', reason: inputRequired },
  { scenario: 'input-required-result-result-type', checks: 'all', reason: inputRequired },
  { scenario: 'input-required-result-tampered-state', checks: 'all', reason: inputRequired },
  { scenario: 'input-required-result-capability-check', checks: 'all', reason: inputRequired },
]
