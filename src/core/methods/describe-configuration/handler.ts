import { listConfigSettings } from '../../config/list-settings.ts'
import { openOperatorRedactor } from '../../runs/redaction/operator-redactor.ts'
import type { Services } from '../../services.ts'
import { mapTexts } from '../map-texts.ts'
import type { DescribeConfigurationResult } from './definition.ts'

/** `describe_configuration`: lists all settings. Secrets are masked wherever they stand. */
export async function describeConfiguration(
  services: Pick<Services, 'config' | 'origins' | 'secrets' | 'redactionPatterns'>,
): Promise<DescribeConfigurationResult> {
  const { config, origins } = services
  const known = origins ?? { origins: {}, rootOrigins: [], files: [] }
  const [settings, redactor] = await Promise.all([
    listConfigSettings({ config, ...known }),
    openOperatorRedactor(services),
  ])
  return {
    files: known.files,
    settings: settings.map((setting) => ({
      ...setting,
      value: mapTexts(setting.value, (text) => redactor.text(text)),
      ...(origins === undefined && { origin: null }),
    })),
  }
}
