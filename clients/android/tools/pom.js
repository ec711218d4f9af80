/** The project file of Maven, with all that Maven Central asks for. */
export function pom({ settings, artifact, version, packaging, dependencies }) {
  const { name, description } = settings.artifacts[artifact];
  const { url, scm, license, developer, group } = settings;
  const tree = {
    modelVersion: '4.0.0',
    groupId: group,
    artifactId: artifact,
    version,
    packaging,
    name,
    description,
    url,
    licenses: { license: { ...license, distribution: 'repo' } },
    developers: { developer },
    scm,
    dependencies: { dependency: dependencies.map((dependency) => ({ ...dependency, scope: 'compile' })) },
  };
  const space =
    'xmlns="http://maven.apache.org/POM/4.0.0" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"';
  const schema =
    'xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 https://maven.apache.org/xsd/maven-4.0.0.xsd"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<project ${space} ${schema}>\n${elements(tree, '  ')}</project>\n`;
}

function elements(fields, indentation) {
  const one = (name, value) => {
    if (Array.isArray(value)) return value.map((item) => one(name, item)).join('');
    if (typeof value !== 'object') return `${indentation}<${name}>${escapeXml(value)}</${name}>\n`;
    return `${indentation}<${name}>\n${elements(value, `${indentation}  `)}${indentation}</${name}>\n`;
  };
  return Object.entries(fields)
    .map(([name, value]) => one(name, value))
    .join('');
}

export function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
