"""Holds the files of deploy/ against each other, against docs/alarms.md and against what the notary needs of them.

deployment.py WORK_DIR. No notary is started. Where the machine has nginx, that reads the replicas' configuration.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

work = Path(sys.argv[1])
root = Path(__file__).resolve().parents[2]
deploy = root / "deploy"
# The longest time that a stop waits for the answers under way, in seconds (crates/net/listen/src/lib.rs).
DRAIN_SECONDS = int(re.search(r"DRAIN_TIMEOUT: Duration = Duration::from_secs\((\d+)\)", (root / "crates/net/listen/src/lib.rs").read_text())[1])


def check_alarms():
    """Each alarm has a paragraph of its own, and each of those on replicas and databases a unit test."""
    document = (root / "docs/alarms.md").read_text()
    explained = re.findall(r"^### (\w+)$", document, re.MULTILINE)
    tested, alarms = (deploy / "prometheus/rules_test.yml").read_text(), []
    for file in ("alerts.yml", "database.yml"):
        for group in yaml.safe_load((deploy / "prometheus" / file).read_text())["groups"]:
            for rule in group["rules"]:
                name = rule["alert"]
                alarms.append(name)
                assert rule["labels"]["severity"] in ("page", "ticket"), name
                assert set(rule["annotations"]) == {"summary", "description", "runbook_url"}, name
                assert rule["annotations"]["runbook_url"] == f"docs/alarms.md#{name.lower()}", name
                if group["name"] != "touchstone":
                    assert f"alertname: {name}\n" in tested, f"{name} has no unit test in rules_test.yml"
    assert len(set(alarms)) == len(alarms)
    assert explained == alarms, f"docs/alarms.md: {set(alarms) ^ set(explained) or 'another order than the rules'}"
    return len(alarms)


def check_image(where, image):
    assert "." not in image.split("/")[0] or "/" not in image, f"{where}: {image} names a registry"


def check_settings():
    """Every setting that a file of deploy/ or packaging/ names is one."""
    flags = (root / "crates/notary/touchstone/src/settings/flags.rs").read_text()
    known = set(re.findall(r'env = "(TOUCHSTONE_\w+)"', flags))
    for file in [*deploy.rglob("*"), *(root / "packaging").iterdir()]:
        if file.is_file():
            named = set(re.findall(r"\bTOUCHSTONE_[A-Z_]+[A-Z]\b", file.read_text()))
            assert named <= known, f"{file}: {named - known} are no settings"


def check_compose(file):
    """A composition whose services, networks and volumes are there; gives it."""
    found = yaml.safe_load(file.read_text())
    for name, service in found["services"].items():
        where = f"{file.name}, {name}"
        if "image" in service:
            check_image(where, service["image"])
        if "build" in service:
            context = (file.parent / service["build"]["context"]).resolve()
            assert (context / service["build"]["dockerfile"]).is_file(), where
            assert service["read_only"] and service["cap_drop"] == ["ALL"], where
            assert service["security_opt"] == ["no-new-privileges:true"], where
        assert set(service["networks"]) <= set(found["networks"]), where
        assert set(service.get("depends_on", [])) <= set(found["services"]), where
        for volume in service.get("volumes", []):
            source = re.sub(r"\$\{.*?\}", "/", volume).split(":")[0]
            if source.startswith("."):
                assert (file.parent / source).exists(), f"{where}: {source}"
            elif not source.startswith("/"):
                assert source in found["volumes"], f"{where}: {source}"
    return found


def check_cluster():
    """Three of each, which know each other by the names that they have."""
    cluster = check_compose(deploy / "cluster/compose.yaml")
    services = cluster["services"]
    for kind in ("etcd", "postgres", "notary"):
        assert {name for name in services if name.startswith(kind)} == {f"{kind}-{n}" for n in (1, 2, 3)}
    for n in (1, 2, 3):
        etcd, postgres, notary = (services[f"{kind}-{n}"] for kind in ("etcd", "postgres", "notary"))
        assert etcd["environment"]["ETCD_NAME"] == f"etcd-{n}"
        assert f"etcd-{n}=http://etcd-{n}:2380" in etcd["environment"]["ETCD_INITIAL_CLUSTER"]
        assert etcd["environment"]["ETCD_INITIAL_ADVERTISE_PEER_URLS"] == f"http://etcd-{n}:2380"
        assert etcd["environment"]["ETCD_ADVERTISE_CLIENT_URLS"] == f"http://etcd-{n}:2379"
        assert postgres["environment"]["PATRONI_NAME"] == f"postgres-{n}"
        assert postgres["environment"]["PATRONI_POSTGRESQL_CONNECT_ADDRESS"] == f"postgres-{n}:5432"
        assert postgres["environment"]["PATRONI_RESTAPI_CONNECT_ADDRESS"] == f"postgres-{n}:8008"
        assert f"etcd-{n}:2379" in postgres["environment"]["PATRONI_ETCD3_HOSTS"]
        assert "@postgres-1,postgres-2,postgres-3/" in notary["environment"]["TOUCHSTONE_STORE"]
        assert notary["environment"]["TOUCHSTONE_PROXIES"] == cluster["networks"]["front"]["ipam"]["config"][0]["subnet"]
        assert int(notary["stop_grace_period"].removesuffix("s")) > DRAIN_SECONDS
        assert "keys:" + notary["environment"]["TOUCHSTONE_KEYS_DIR"] in notary["volumes"]
    assert services["notary-2"]["depends_on"] == services["notary-3"]["depends_on"] == {"notary-1": {"condition": "service_healthy"}}
    upstream = re.findall(r"server (\S+):8402", (deploy / "cluster/nginx.conf").read_text())
    assert upstream == ["notary-1", "notary-2", "notary-3"]
    scraped = yaml.safe_load((deploy / "prometheus/replicas.yml").read_text())["scrape_configs"]
    targets = {target.split(":")[0] for job in scraped for configs in job["static_configs"] for target in configs["targets"]}
    assert targets == {name for name in services if name.startswith(("notary", "postgres"))}

    patroni = yaml.safe_load((deploy / "cluster/patroni.yml").read_text())
    dcs = patroni["bootstrap"]["dcs"]
    assert dcs["synchronous_mode"] is True and dcs["synchronous_mode_strict"] is True
    assert dcs["postgresql"]["parameters"]["synchronous_commit"] == "on"
    assert dcs["ttl"] >= dcs["loop_wait"] + 2 * dcs["retry_timeout"]


def check_containers():
    """The notary's image has another user than root, and no more than Debian slim beside the program."""
    lines = (deploy / "Containerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("FROM ")][-1] == "FROM debian:bookworm-slim"
    user = next(line for line in lines if line.startswith("USER ")).removeprefix("USER ")
    assert user.split(":")[0].isdigit() and not user.startswith("0"), "Kubernetes must see that it is not root: a number"
    for file in (deploy / "Containerfile", deploy / "cluster/Containerfile"):
        for image in re.findall(r"^FROM (\S+)", file.read_text(), re.MULTILINE):
            check_image(file, image)
    return user.split(":")[0]


def check_kubernetes(user):
    objects = [one for file in sorted((deploy / "kubernetes").glob("*.yaml")) for one in yaml.safe_load_all(file.read_text())]
    by_kind = {one["kind"]: one for one in objects}
    files = {file.name for file in (deploy / "kubernetes").iterdir()} - {"kustomization.yaml"}
    assert set(by_kind["Kustomization"]["resources"]) == files
    deployment = by_kind["Deployment"]["spec"]
    labels, pod = deployment["template"]["metadata"]["labels"], deployment["template"]["spec"]
    assert deployment["selector"]["matchLabels"].items() <= labels.items()
    assert by_kind["Service"]["spec"]["selector"].items() <= labels.items()
    assert by_kind["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    budget = by_kind["PodDisruptionBudget"]["spec"]
    assert budget["selector"]["matchLabels"].items() <= labels.items() and budget["minAvailable"] < deployment["replicas"]
    spread = {one["topologyKey"] for one in pod["topologySpreadConstraints"]}
    assert spread == {"kubernetes.io/hostname", "topology.kubernetes.io/zone"}
    assert pod["securityContext"]["runAsNonRoot"] and str(pod["securityContext"]["runAsUser"]) == user
    assert not pod["enableServiceLinks"] and not pod["automountServiceAccountToken"]
    volumes = {volume["name"] for volume in pod["volumes"]}
    for container in [*pod["initContainers"], *pod["containers"]]:
        check_image(container["name"], container["image"])
        locked = container["securityContext"]
        assert locked["readOnlyRootFilesystem"] and not locked["allowPrivilegeEscalation"]
        assert locked["capabilities"]["drop"] == ["ALL"] and "memory" in container["resources"]["limits"]
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
    notary = pod["containers"][0]
    assert notary["livenessProbe"]["httpGet"]["path"] == notary["startupProbe"]["httpGet"]["path"] == "/livez"
    assert notary["readinessProbe"]["httpGet"]["path"] == "/readyz"
    pause = int(notary["lifecycle"]["preStop"]["exec"]["command"][1])
    readiness = notary["readinessProbe"]
    assert pause > readiness["periodSeconds"] * readiness["failureThreshold"]
    assert pod["terminationGracePeriodSeconds"] > pause + DRAIN_SECONDS
    assert notary["envFrom"] == [{"configMapRef": {"name": by_kind["ConfigMap"]["metadata"]["name"]}}]
    secrets = {volume["secret"]["secretName"] for volume in pod["volumes"] if "secret" in volume}
    made = set(re.findall(r"create secret generic (\S+)", (deploy / "kubernetes/settings.yaml").read_text()))
    assert secrets == made, f"settings.yaml says how to make {made}, and the pods need {secrets}"


def check_nginx():
    """Has nginx read the configuration, with a certificate of its own, on loopback addresses in place of the replicas' names."""
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    if nginx is None:
        return "no nginx to read cluster/nginx.conf"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
        + ["-subj", "/CN=notary.example", "-keyout", work / "privkey.pem", "-out", work / "fullchain.pem"],
        check=True, capture_output=True,
    )
    text = (deploy / "cluster/nginx.conf").read_text()
    text = text.replace("/etc/nginx/certificates", str(work)).replace("/var/cache/nginx", str(work))
    text = re.sub(r"notary-(\d):8402", r"127.0.0.\1:18402", text)
    if not Path("/proc/net/if_inet6").exists():
        text = re.sub(r"^ *listen \[::\].*\n", "", text, flags=re.MULTILINE)
    text = text.replace(":443", ":18443").replace("listen 443", "listen 18443")
    whole = f"pid {work}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{text}\n}}\n"
    (work / "nginx.conf").write_text(whole)
    done = subprocess.run([nginx, "-t", "-p", work, "-c", work / "nginx.conf"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return "nginx reads cluster/nginx.conf"


alarms = check_alarms()
check_settings()
check_compose(deploy / "compose.yaml")
check_cluster()
check_kubernetes(check_containers())
print(f"deployment: {alarms} alarms are explained; two compositions and the manifests hold together; {check_nginx()}")
